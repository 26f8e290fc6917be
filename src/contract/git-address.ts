import { line } from './text.ts'

/** Where a repository is. What stands in it is shown, noted, and seen by whoever lists processes: so no secret may. */
export const GitAddress = line(4096).refine(isWithoutSecret, {
  message:
    'must have no password or token in it, nor a user name before the host of an http address. Take it out, and let git ' +
    'find it where Signalbox runs: in a credential helper (git config credential.helper) of the user who runs it, or with ' +
    'an ssh key of theirs and an ssh address',
})

function isWithoutSecret(address: string): boolean {
  if (address.startsWith('/')) return true
  if (/[?&#;][\w-]*(?:token|secret|passw(?:or)?d|key|signature|jwt)=/i.test(address)) return false
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(address)) return !/^[^/@]*:\/?[^/]*@/.test(address)
  if (!URL.canParse(address)) return !address.includes('@')
  const { protocol, username, password } = new URL(address)
  return password === '' && (username === '' || !/^https?:$/.test(protocol))
}
