import { useQuery } from '@tanstack/react-query'
import type { AllSettings, SettingKey } from '../../../src/contract/settings.ts'
import { queryClient } from '../../query-client.ts'
import { settingsApi } from './settings-api.ts'

const queryKey = ['settings']

export const useSettings = () =>
  useQuery({ queryKey, queryFn: ({ signal }) => settingsApi.settings(signal), staleTime: 5_000 })

/** Null gives it back to environment, file and default. */
export async function changeSetting(name: SettingKey, value: unknown): Promise<AllSettings> {
  const now = await settingsApi.change({ [name]: value })
  queryClient.setQueryData(queryKey, now)
  return now
}
