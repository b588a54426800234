/** What is assumed of a month, in dollars. */
export const PRICES = {
  hours: 730,
  /** A core of a server, with 4 GB, an hour. */
  replicaCoreHour: 0.04,
  /** A core of a managed PostgreSQL, with 8 GB and a standby, an hour. */
  databaseCoreHour: 0.2,
  /** A gigabyte of its disk, a month. */
  gigabyteMonth: 0.23,
  balancerMonth: 20,
  /** Of what machines are made for, so much is asked of them on average. */
  averageShare: 0.5,
  retentionDays: 90,
}

export interface Month {
  /** In millions. */
  calls: number
  replicas: number
  databases: number
  storedGigabytes: number
  storage: number
  total: number
  perMillionCalls: number
}

/** What a layout costs in a month at the load that it is made for. A replica is a core. */
export function monthOf({
  callsPerSecond,
  replicas,
  databaseCores,
  bytesPerExecution,
}: {
  callsPerSecond: number
  replicas: number
  databaseCores: number
  bytesPerExecution: number
}): Month {
  const perSecond = callsPerSecond * PRICES.averageShare
  const calls = (perSecond * PRICES.hours * 3_600) / 1e6
  const storedGigabytes = (perSecond * 86_400 * PRICES.retentionDays * bytesPerExecution) / 1e9
  const cost = {
    replicas: replicas * PRICES.replicaCoreHour * PRICES.hours,
    databases: databaseCores * PRICES.databaseCoreHour * PRICES.hours,
    storage: storedGigabytes * PRICES.gigabyteMonth,
  }
  const total = cost.replicas + cost.databases + cost.storage + PRICES.balancerMonth
  return { calls, storedGigabytes, ...cost, total, perMillionCalls: total / calls }
}
