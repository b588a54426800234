import { readdirSync, readFileSync } from 'node:fs'

/** What Linux says of a process; the harness runs nowhere else. */
export interface ProcessUsage {
  /** User and system time of all its threads, milliseconds. */
  cpuMs: number
  /** The same of its first thread alone, where Node runs JavaScript; the rest is workers, the collector, file access. */
  mainThreadCpuMs: number
  residentBytes: number
  /** Open files and sockets. */
  descriptors: number
}

// The kernel reports processor time in hundredths of a second on every architecture that Node runs on.
const TICK_MS = 10

/** Throws where the process is gone. */
export function usageOf(pid: number): ProcessUsage {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    cpuMs: cpuMsOf(`/proc/${pid}/stat`),
    mainThreadCpuMs: cpuMsOf(`/proc/${pid}/task/${pid}/stat`),
    residentBytes: Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  }
}

function cpuMsOf(file: string): number {
  const stat = readFileSync(file, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}
