import { QueryClient } from '@tanstack/react-query'
import { Refusal } from './api.ts'

/** Asking again would be answered the same. */
export const isFinal = (error: unknown) =>
  error instanceof Refusal && error.status >= 400 && error.status < 500

/** What was read stays true until the live stream says otherwise, so nothing goes stale by time. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      gcTime: 60_000,
      networkMode: 'always',
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      retry: (failures, error) => failures < 2 && !isFinal(error),
      retryDelay: 300,
    },
  },
})
