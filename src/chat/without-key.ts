import { redactText } from '#lib/redact.ts'

/** Shorter ones are no secrets, and would cut words apart. */
const shortestKey = 4

/**
 * What a provider says, without the key that it was asked with: some repeat it, or the whole request, in what they complain of. To be done
 * before the text is cut: half a key is not found any more.
 */
export function withoutKey(text: string, apiKey: string | undefined): string {
  if (apiKey === undefined || apiKey.length < shortestKey) return redactText(text)
  return redactText(text.replaceAll(apiKey, '[key]').replaceAll(encodeURIComponent(apiKey), '[key]'))
}
