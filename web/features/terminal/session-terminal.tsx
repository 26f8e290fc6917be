import { useCallback } from 'react'
import type { Agent } from '../../../src/contract/agent.ts'
import type { Session } from '../../../src/contract/session.ts'
import type { TerminalWindow } from '../../../src/contract/terminal.ts'
import { queryClient } from '../../query-client.ts'
import { terminalStrings as words } from '../../strings/terminal.ts'
import { hasOwnInterface } from './own-interface.ts'
import { TerminalPane } from './terminal-part.tsx'
import { WindowTabs } from './window-tabs.tsx'

interface Props {
  session: Session
  agent: Agent | undefined
  window: TerminalWindow
}

/** The terminal of a session: what its agent shows, and a shell in its workspace. */
export function SessionTerminal({ session, agent, window }: Props) {
  const { id } = session
  const lookAgain = useCallback(() => {
    void queryClient.invalidateQueries({ queryKey: ['session', id] })
  }, [id])
  const canTakeOver = agent !== undefined && hasOwnInterface(agent)
  return (
    <TerminalPane
      key={window}
      of={{ sessionId: id }}
      window={window}
      tabs={<WindowTabs sessionId={id} window={window} />}
      whyReadOnly={canTakeOver ? words.liveView : words.liveViewOnly}
      onEnded={lookAgain}
    />
  )
}
