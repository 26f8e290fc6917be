import { welcomeStrings } from '../../strings/welcome.ts'
import { PageHead } from '../shell/page-head.tsx'
import WelcomeSteps from './welcome-steps.tsx'

export default function WelcomePage() {
  return (
    <>
      <PageHead title={welcomeStrings.heading} />
      <WelcomeSteps />
    </>
  )
}
