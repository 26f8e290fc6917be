import { useQuery } from '@tanstack/react-query'
import { codeStrings } from '../../strings/code.ts'
import { codeApi } from './code-api.ts'

const words = codeStrings.tokens

/** What listing these tools would cost, against code mode. */
export function TokensSaved() {
  const { data, error } = useQuery({
    queryKey: ['code tokens'],
    queryFn: ({ signal }) => codeApi.tokens(signal),
    staleTime: 60_000,
  })
  if (error) return null
  const saved = data ? data.listed - data.code : 0
  return (
    <div data-tokens className="mt-auto border-t border-line pt-2 text-small">
      <p className="flex flex-wrap gap-x-2">
        <span className="text-mute">{words.title}</span>
        <span className="tabular-nums">
          {!data
            ? words.counting
            : saved > 0
              ? words.saved(saved, Math.floor((saved / data.listed) * 100))
              : words.none}
        </span>
      </p>
      <p className="min-h-8 text-mute" title={data && words.counted(data.encoding)}>
        {data && words.text(data.tools, data.listed, data.code)}
      </p>
    </div>
  )
}
