import type { SettingKey } from '../../../src/contract/settings.ts'
import { settingStrings as words } from '../../strings/setting.ts'
import { Group } from './group.tsx'
import { Reading } from './reading.tsx'
import { SettingRow } from './setting-row.tsx'
import { useSettings } from './use-settings.ts'

const groups: [name: keyof typeof words.groups, keys: SettingKey[]][] = [
  [
    'work',
    ['workerMaxConcurrent', 'minFreeDiskBytes', 'sessionTtlMs', 'heartbeatIntervalMs', 'staleAfterMs'],
  ],
  [
    'chat',
    [
      'llmProvider',
      'llmModel',
      'maxOutputTokens',
      'maxHistoryTokens',
      'maxHistoryMessages',
      'historyCompression',
      'historySummaries',
    ],
  ],
  ['web', ['corsEnabled', 'corsOrigins']],
  ['log', ['logLevel', 'logRetentionDays']],
]

export default function RuntimeSection() {
  const { data, error, refetch } = useSettings()
  if (!data) return <Reading error={error} again={refetch} />
  return groups.map(([name, keys]) => (
    <Group key={name} title={words.groups[name]}>
      <ul>
        {keys.map((key) => (
          <SettingRow key={key} name={key} setting={data[key]} />
        ))}
      </ul>
    </Group>
  ))
}
