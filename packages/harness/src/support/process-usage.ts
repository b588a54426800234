import { readdirSync, readFileSync } from 'node:fs'

/** What Linux says of a process; the harness runs nowhere else. */
export interface ProcessUsage {
  /** User and system time of all its threads, milliseconds. */
  cpuMs: number
  residentBytes: number
  /** Open files and sockets. */
  descriptors: number
}

// The kernel reports processor time in hundredths of a second on every architecture that Node runs on.
const TICK_MS = 10

/** Throws where the process is gone. */
export function usageOf(pid: number): ProcessUsage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
    residentBytes: Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  }
}
