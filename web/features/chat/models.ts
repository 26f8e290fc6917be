import { useQuery } from '@tanstack/react-query'
import type { AvailableModel } from '../../../src/contract/model.ts'
import { chatStrings } from '../../chat-strings.ts'
import { queryClient } from '../../query-client.ts'
import { chatApi } from './chat-api.ts'

const minute = 60_000
const availableKey = ['models', 'available'] as const
const checkKey = ['models', 'check'] as const

/** Which models can be asked now. */
export const useModels = () =>
  useQuery({
    queryKey: availableKey,
    queryFn: ({ signal }) => chatApi.models(false, signal),
    staleTime: minute,
  })

/** How it stands with each provider, and why not. */
export const useChecked = () =>
  useQuery({
    queryKey: checkKey,
    queryFn: ({ signal }) => chatApi.check(false, signal),
    staleTime: minute,
  })

/** Whether a model is known to see no pictures; null is the default, undefined none of ours. */
export function useIsBlind(model: string | null | undefined): boolean {
  const { data } = useQuery({
    queryKey: availableKey,
    queryFn: ({ signal }) => chatApi.models(false, signal),
    staleTime: minute,
    enabled: model !== undefined,
  })
  const name = model ?? data?.default
  return data?.models.find((each) => each.name === name)?.seesImages === false
}

/** Asks the providers once more, whatever is known. */
export async function lookAgain(): Promise<void> {
  const available = await chatApi.models(true)
  queryClient.setQueryData(availableKey, available)
  queryClient.setQueryData(checkKey, await chatApi.check(false))
}

const tokens = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 3 })

/** What one should know before choosing it, in a line. */
export function factsOf({ contextWindow, price, seesImages }: AvailableModel): string {
  const words = chatStrings.model
  return [
    ...(contextWindow === null ? [] : [words.window(tokens.format(contextWindow))]),
    ...(price === null ? [] : [words.price(dollars.format(price.input), dollars.format(price.output))]),
    ...(seesImages ? [] : [words.blind]),
  ].join(' · ')
}
