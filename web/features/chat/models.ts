import { useQuery } from '@tanstack/react-query'
import type { AvailableModel } from '../../../src/contract/model.ts'
import { chatStrings } from '../../strings/chat.ts'
import { queryClient } from '../../query-client.ts'
import { chatApi } from './chat-api.ts'

const staleTime = 60_000

// Keys are a machine's own: what can be asked is asked from the machine of the agent.
const availableKey = (machineId: string | null) => ['models', 'available', machineId] as const
const checkedKey = (machineId: string | null) => ['models', 'check', machineId] as const

/** Which models can be asked now. */
export const useModels = (machineId: string | null, enabled = true) =>
  useQuery({
    queryKey: availableKey(machineId),
    queryFn: ({ signal }) => chatApi.models(machineId, false, signal),
    staleTime,
    enabled,
  })

/** How it stands with each provider, and why not. */
export const useChecked = (machineId: string | null) =>
  useQuery({
    queryKey: checkedKey(machineId),
    queryFn: ({ signal }) => chatApi.check(machineId, false, signal),
    staleTime,
  })

/** Whether a model is known to see no pictures; null is the default. */
export function useIsBlind(model: string | null, machineId: string | null, isChat: boolean): boolean {
  const { data } = useModels(machineId, isChat)
  const name = model ?? data?.default
  return isChat && data?.models.find((each) => each.name === name)?.seesImages === false
}

/** Asks the providers once more, whatever is known. */
export async function lookAgain(machineId: string | null): Promise<void> {
  queryClient.setQueryData(availableKey(machineId), await chatApi.models(machineId, true))
  queryClient.setQueryData(checkedKey(machineId), await chatApi.check(machineId, false))
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
