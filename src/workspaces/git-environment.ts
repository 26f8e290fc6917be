const quiet = {
  LC_ALL: 'C.UTF-8',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  GIT_EDITOR: 'false',
  GIT_SEQUENCE_EDITOR: 'false',
  GIT_PAGER: 'cat',
  GIT_NO_LAZY_FETCH: '1',
  GIT_PROXY_COMMAND: '', // the first one that is found counts: so this is none
}

/** What the user's own git needs to find their settings, keys and proxies. */
const passedOn =
  /^(?:HOME|PATH|USER|LOGNAME|TMPDIR|XDG_CONFIG_HOME|SSH_AUTH_SOCK|GNUPGHOME|(?:https?|all|no)_proxy|SSL_CERT_(?:FILE|DIR)|GIT_SSL_CAINFO|GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM))$/i

/** Git in the user's own folders: with what they set for all their repositories. */
export function gitOfOurs(): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => passedOn.test(name))
  return { ...Object.fromEntries(own), ...quiet }
}

/** Git on what belongs to a sandbox or a container: nothing of the user's is for it. */
export const gitOfInside = (): Record<string, string> => ({
  ...quiet,
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
})
