import { useState } from 'react'
import { useStore } from '../../store.ts'
import { strings } from '../../strings/page.ts'
import { Button } from '../../ui/button.tsx'
import { Brand } from '../shell/brand.tsx'
import { cameAsStranger } from '../../way-back.ts'
import { attempt, logIn } from './log-in.ts'

/** Shown in place of everything while there is no key. The address stays, so logging in leads back to where one was. */
export function Login() {
  const [token, setToken] = useState('')
  const { isUnderWay, problem } = useStore(attempt)
  return (
    <main className="flex h-full flex-col items-center justify-center overflow-y-auto p-6">
      <form
        className="flex w-90 max-w-full flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (token.trim()) void logIn(token)
        }}
      >
        <div className="flex items-center gap-2 text-[14px] font-semibold">
          <Brand />
          {strings.product}
        </div>
        <h1 className="text-title font-semibold">{strings.login.heading}</h1>
        {cameAsStranger && <output>{strings.login.stranger}</output>}
        <label className="flex flex-col gap-1.5">
          <span className="text-small text-soft">{strings.login.field}</span>
          <input
            type="password"
            required
            autoComplete="current-password"
            spellCheck={false}
            value={token}
            aria-describedby="login-problem"
            aria-invalid={problem !== null}
            className="h-9 rounded-control border border-control bg-panel px-2.5 font-mono max-sm:text-[16px]"
            onChange={(event) => setToken(event.target.value)}
          />
        </label>
        <p id="login-problem" role="alert" className="-mt-2 text-small text-stop empty:hidden">
          {problem}
        </p>
        <Button look="main" type="submit" className="h-9" disabled={isUnderWay}>
          {isUnderWay ? strings.login.checking : strings.login.submit}
        </Button>
        <div className="border-t border-line pt-4 text-soft">
          <h2 className="pb-1 font-semibold text-text">{strings.login.whereHeading}</h2>
          <p>{strings.login.whereLine}</p>
          <p className="pt-1.5">{strings.login.whereFile}</p>
        </div>
      </form>
    </main>
  )
}
