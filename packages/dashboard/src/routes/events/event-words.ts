import type { Schemas } from '../../api/client.ts'
import type { Tone } from '../../ui/badge.tsx'

type AccountEvent = Schemas['AccountEvent']

interface Words {
  title: string
  text: string
  tone: Tone
}

const QUOTAS: Readonly<Record<string, string>> = { executions: 'executions', anonymous: 'anonymous calls' }

/** An event in the words of its owner. */
export function wordsOf({ type, data }: AccountEvent): Words {
  const value = (name: string) => String(data[name] ?? '')
  switch (type) {
    case 'deployment.frozen':
      return { title: `Candidate ${value('version')} was frozen`, text: value('reason'), tone: 'bad' }
    case 'deployment.promoted':
      return {
        title: `Deployment ${value('version')} is stable`,
        text: replacedBy(data['replacedVersion']),
        tone: 'ok',
      }
    case 'endpoint.unreachable':
      return { title: 'Endpoint unreachable', text: 'Capability calls do not reach it.', tone: 'bad' }
    case 'endpoint.recovered':
      return { title: 'Endpoint recovered', text: 'It answers again.', tone: 'ok' }
    case 'quota.threshold': {
      const quota = QUOTAS[value('quota')] ?? value('quota')
      const isSpent = Number(data['percent']) >= 100
      const text = isSpent ? 'More are refused until the quota refills.' : 'The quota refills all the time.'
      return { title: `${value('percent')} % of the ${quota} used`, text, tone: isSpent ? 'bad' : 'warn' }
    }
    case 'call.unknown':
      return {
        title: 'Outcome of a call unknown',
        text: `${value('capability')}: check in your own data whether it had an effect.`,
        tone: 'warn',
      }
    case 'key.revealed':
      return { title: 'Key revealed', text: `${value('keyType')}, ${value('prefix')}`, tone: 'neutral' }
    case 'key.rotated':
      return { title: 'Key rotated', text: value('keyType'), tone: 'neutral' }
  }
}

function replacedBy(version: unknown): string {
  return typeof version === 'number' ? `It replaced deployment ${version}.` : 'The first deployment of this runtime.'
}
