import type { BillingUsage } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { isoTime } from '../lib/clock.ts'
import { usageOfHour } from '../usage/hourly-usage-store.ts'
import { ANONYMOUS_BUCKET, drawsFor, MAIN_BUCKET } from '../usage/quota-rules.ts'
import { GRAIN_MS, startOf } from '../usage/rollup-rules.ts'
import { isBudgetLow } from '../usage/stored-bytes-rules.ts'
import { readStoredBytes } from '../usage/stored-bytes-store.ts'
import { TIERS } from '../usage/tiers.ts'
import { available } from '../usage/token-bucket.js'
import type { BillingDeps } from './deps.ts'
import { readAllowances } from './store.ts'

/**
 * What the account has used in the current UTC hour, and what it may use now. An execution counts from its admission, its
 * calls and tokens from its end.
 */
export async function billingUsage(deps: BillingDeps, owner: Owner): Promise<BillingUsage> {
  const now = deps.clock.now()
  const hour = startOf('hour', now)
  await deps.aggregation.catchUp()
  const used = await usageOfHour(deps.db, owner.ownerId, hour)
  const left = await availableNow(deps, owner, now)
  const limits = TIERS[owner.tier]
  const storedBytes = { used: await readStoredBytes(deps.db, owner.ownerId), limit: limits.storedBytes }
  return {
    tier: owner.tier,
    periodStart: isoTime(hour),
    periodEnd: isoTime(hour + GRAIN_MS.hour),
    executions: {
      used: used.executions + used.running.executions,
      available: left.executions,
      perHour: limits.executionsPerHour,
      burst: limits.executionsBurst,
    },
    anonymous: {
      used: used.anonymous + used.running.anonymous,
      available: left.anonymous,
      perHour: limits.anonymousPerHour,
      burst: limits.anonymousBurst,
    },
    capabilityCalls: used.capabilityCalls,
    inputTokens: used.inputTokens,
    outputTokens: used.outputTokens,
    totalTokens: used.inputTokens + used.outputTokens,
    storedBytes,
    modelPrices: deps.modelPrices,
    warnings: isBudgetLow(owner.tier, storedBytes.used) ? [STORAGE_WARNING] : [],
  }
}

const STORAGE_WARNING =
  'The plan’s stored bytes are used up: inputs, outputs and metadata that do not fit are kept as {"truncated": true} ' +
  'until older ones are past their retention. Nothing is refused.'

async function availableNow({ db }: BillingDeps, { ownerId, tier }: Owner, now: number) {
  const fullAt = await readAllowances(db, ownerId)
  const draws = drawsFor(tier, 'broker')
  const units = new Map(draws.map(({ bucket, rate }) => [bucket, available(fullAt.get(bucket) ?? 0, rate, now)]))
  const executions = units.get(MAIN_BUCKET) ?? null
  const anonymous = units.get(ANONYMOUS_BUCKET) ?? null
  // An anonymous call takes one unit of each.
  const isLimited = executions !== null && anonymous !== null
  return { executions, anonymous: isLimited ? Math.min(executions, anonymous) : anonymous }
}
