import { strings } from '../../strings/page.ts'
import { PageHead } from '../shell/page-head.tsx'

export default function MachinesPage() {
  return <PageHead title={strings.rooms.machines} />
}
