import type { Plan, Tier } from '@svc/contract'

/** The limits of each plan. Null is unlimited. */
export const TIERS: Readonly<Record<Tier, Plan['limits']>> = {
  free: {
    runtimes: 1,
    executionsPerHour: 100,
    executionsBurst: 200,
    anonymousPerHour: 25,
    anonymousBurst: 50,
    requestsPerMinute: 60,
    analyticsDays: 7,
    retentionDays: 7,
    storedBytes: 200_000_000,
  },
  pro: {
    runtimes: 10,
    executionsPerHour: 2_000,
    executionsBurst: 48_000,
    anonymousPerHour: 500,
    anonymousBurst: 12_000,
    requestsPerMinute: 600,
    analyticsDays: 90,
    retentionDays: 90,
    storedBytes: 5_000_000_000,
  },
  enterprise: {
    runtimes: null,
    executionsPerHour: null,
    executionsBurst: null,
    anonymousPerHour: null,
    anonymousBurst: null,
    requestsPerMinute: 6_000,
    analyticsDays: 400,
    retentionDays: 400,
    storedBytes: null,
  },
}
