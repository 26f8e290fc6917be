import type { Usage } from '../../../src/contract/agent-event.ts'
import type { SessionView } from '../../routes.tsx'
import { ChangesTab } from '../changes/changes-part.tsx'
import { FilesTab } from '../files/files-part.tsx'
import { SessionTerminal } from '../terminal/session-terminal.tsx'
import { DetailsTab } from './details-tab.tsx'
import { ExecutionLog } from './execution-view.tsx'
import type { RoomProps } from './session-room.tsx'

interface Props extends RoomProps {
  tab: SessionView
  used: Usage | undefined
}

/** What one of a session's tabs shows. */
export function TabContent(props: Props) {
  const { tab, used, session, agent, executions, shown, filter, isTalk, window } = props
  switch (tab) {
    case 'changes':
      return (
        <ChangesTab session={session} execution={executions?.rows[0]} isChat={agent?.adapter === 'chat'} />
      )
    case 'files':
      return <FilesTab session={session} />
    case 'terminal':
      return <SessionTerminal session={session} agent={agent} window={window} />
    case 'log':
      return shown ? <ExecutionLog key={shown.id} execution={shown} /> : null
    case 'details':
      return (
        <DetailsTab
          session={session}
          agent={agent}
          used={used}
          executions={executions}
          shown={shown}
          filter={filter}
          isTalk={isTalk}
        />
      )
  }
}
