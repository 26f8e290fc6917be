const isMac = navigator.platform.startsWith('Mac')

/** A key or a chord: `mod` is ⌘ on a Mac and Ctrl elsewhere. */
export function Kbd({ keys, className = '' }: { keys: string; className?: string }) {
  const shown = keys.replace('mod', isMac ? '⌘' : 'Ctrl').replace('alt', isMac ? '⌥' : 'Alt')
  return (
    <kbd
      className={`rounded-small border border-current/30 px-1 font-mono text-tiny whitespace-nowrap text-mute ${className}`}
    >
      {shown}
    </kbd>
  )
}
