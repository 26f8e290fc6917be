import { strings } from '../../strings/page.ts'
import { PageHead } from '../shell/page-head.tsx'

export function HomePage() {
  return <PageHead title={strings.rooms.home} />
}
