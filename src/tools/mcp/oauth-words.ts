import {
  AuthorizationServerMismatchError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client'
import { inertLine } from '#lib/inert-text.ts'
import { ownSecretsOf } from '#lib/own-secrets.ts'
import { LoginFailed } from './port.ts'
import type { GuardedSource, WayBack } from './port.ts'

/** The same for people. What comes from elsewhere is cut, and can do nothing to where it is shown. */
export function asLoginFailed(
  { name, clientSecret }: GuardedSource,
  { redirectUrl }: Pick<WayBack, 'redirectUrl'>,
  error: unknown,
): LoginFailed {
  const { hideAll } = ownSecretsOf({ auth: { clientSecret } })
  const told = `Signalbox could not be let in at ${name}. ${hideAll(reason(error, redirectUrl))}`
  return new LoginFailed(told, { cause: error })
}

function reason(error: unknown, redirectUrl: string): string {
  if (error instanceof LoginFailed) return error.message
  // Nothing of what was said is shown: it may come from whoever mixed the issuers up.
  if (error instanceof IssuerMismatchError)
    return 'What came back is not from the issuer that was asked. Nothing was sent; if it happens again, ask who runs it.'
  if (error instanceof AuthorizationServerMismatchError)
    return 'It names another issuer than the one that auth.clientId was first used at. If that is right, remove the source and add it again.'
  if (error instanceof RegistrationRejectedError || said(error).includes('dynamic client registration'))
    return `Its issuer does not take us as we are (${said(error)}). Register Signalbox there by hand, with the redirect address ${redirectUrl}, and give the source auth.clientId.`
  if (error instanceof OAuthError) return `Its issuer said no (${inertLine(error.code)}: ${said(error)}).`
  return `Its issuer cannot be spoken to (${said(error)}). Try again later, or ask who runs it.`
}

const said = (error: unknown) =>
  inertLine(error instanceof Error ? error.message : String(error)).slice(0, 300)
