import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { settingStrings } from '../../strings/setting.ts'
import { AgentBudget } from './agent-budget.tsx'
import { Group } from './group.tsx'
import { Reading } from './reading.tsx'
import { SettingRow } from './setting-row.tsx'
import { useSettings } from './use-settings.ts'

const words = settingStrings.budgets

export default function BudgetsSection() {
  const settings = useSettings()
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => api.agents(signal) })
  const spending = agents.data?.filter(({ kind }) => kind !== 'tool')
  return (
    <>
      <Group title={words.global} hint={words.globalHint}>
        {!settings.data && <Reading error={settings.error} again={settings.refetch} />}
        {settings.data && (
          <ul>
            <SettingRow name="budgetPerExecutionUsd" setting={settings.data.budgetPerExecutionUsd} />
            <SettingRow name="budgetPerDayUsd" setting={settings.data.budgetPerDayUsd} />
          </ul>
        )}
        <Link to="/spend" className="mt-2 inline-block underline">
          {words.spend}
        </Link>
      </Group>
      <Group title={words.agents} hint={words.agentsHint}>
        {!spending && <Reading error={agents.error} again={agents.refetch} />}
        {spending?.length === 0 && <p className="py-2 text-soft">{words.none}</p>}
        <ul>
          {spending?.map((agent) => (
            <AgentBudget key={agent.id} agent={agent} />
          ))}
        </ul>
      </Group>
    </>
  )
}
