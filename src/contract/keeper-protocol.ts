/** A worker speaks this one and the one before; a keeper keeps the one it was born with. */
export const KEEPER_PROTOCOL = 4

/** In the environment of every process of an execution, with the execution's id: how strays are found. */
export const MARK = 'SIGNALBOX_EXECUTION'

/** What the agent of a session carries instead: a session outlives its keeper, and the next one's agent is another. */
export const sessionMark = (sessionId: string, keeperId: string): string => `${sessionId}:${keeperId}`

/** Among the folders that a keeper hides: one below them that is not. */
export const shownAgain = (folder: string): string => `+${folder}`

/** What `GET /ports/:port` of a keeper is upgraded to: the bytes of a connection to that port of the workspace. */
export const portUpgrade = 'signalbox-port'

/** What our own endpoint is called among the servers of tools that an agent has. */
export const OWN_SERVER = 'signalbox'

/** What the session of a terminal's tmux is called that viewers attach to: it has no keys of its own. */
export const VIEWERS_SESSION = 'viewers'

/** How many lines that have left the screen a terminal keeps. */
export const SCROLLBACK_LINES = 5_000

/** Where the tmux of a terminal listens, in the private folder of the machine. */
export const tmuxSocketName = (terminal: string): string => `${terminal}.tmux`
