import { queryClient } from '../../query-client.ts'

/** After one was added, changed or removed. */
export const readSourcesAgain = () =>
  Promise.all(
    ['sources', 'tools', 'code api', 'code tokens'].map((key) =>
      queryClient.invalidateQueries({ queryKey: [key] }),
    ),
  )
