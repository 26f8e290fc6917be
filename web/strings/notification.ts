export const notificationStrings = {
  heading: 'Notifications',
  switchOn: 'Notify me when something waits',
  switchOff: 'Do not notify me any more',
  on: 'You are notified when something waits for you and this page is out of sight.',
  off: 'A notification of this browser when something waits for you and this page is out of sight.',
  blocked:
    'This browser blocks notifications for this page. Allow them in its settings for this site, then load the page again.',
  none: 'This browser shows no notifications for this page: it needs HTTPS, or the machine that Signalbox runs on.',
  limits:
    'The page has to be open, in a tab or installed: nothing is sent through anybody’s push service. On a phone it needs HTTPS.',
  install: 'Install as an app',
}
