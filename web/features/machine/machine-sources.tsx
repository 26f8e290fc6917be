import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { session } from '../../session.ts'
import { machineStrings } from '../../strings/machine.ts'
import { toolStrings } from '../../strings/tool.ts'
import { Signal } from '../../ui/signal.tsx'
import type { Aspect } from '../../ui/signal.tsx'
import { toolApi } from '../tool/tool-api.ts'

const words = machineStrings
const aspects: Record<keyof typeof toolStrings.status, Aspect> = {
  connecting: 'queued',
  healthy: 'done',
  unhealthy: 'stopped',
  unauthorized: 'stopped',
  disabled: 'off',
}

/** The sources of tools that live on a machine. */
export function MachineSources({ machineId }: { machineId: string }) {
  const mayUse = session.get()?.principal.scopes.includes('tools') ?? false
  const { data, error } = useQuery({
    queryKey: ['sources'],
    queryFn: ({ signal }) => toolApi.sources(signal),
    enabled: mayUse,
  })
  const mine = data?.filter((source) => source.machineId === machineId)
  if (!mayUse) return null
  return (
    <section aria-label={words.sources}>
      <h3 className="pb-1 text-small text-mute">{words.sources}</h3>
      {!data && error && <p className="text-small">{words.driversUnknown(error.message)}</p>}
      {mine?.length === 0 && <p className="text-small text-soft">{words.noSources}</p>}
      <ul className="flex flex-col gap-1">
        {mine?.map(({ id, name, health }) => (
          <li key={id} data-source={name} className="flex items-center gap-2 text-small">
            <Link to="/tools" className="min-w-0 truncate text-base font-medium hover:underline">
              <bdi>{name}</bdi>
            </Link>
            {health && (
              <>
                <span className="text-mute tabular-nums">{words.sourceTools(health.tools)}</span>
                <span className="ms-auto text-soft">
                  <Signal aspect={aspects[health.status]} word={toolStrings.status[health.status]} />
                </span>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
