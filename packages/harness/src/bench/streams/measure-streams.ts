import { startProgram } from '@svc/testkit'
import { usageOf } from '../../support/process-usage.ts'
import { programFile } from '../load/start-program.ts'
import { SeenStreams as Seen, type SeenStreams, type StreamOrder } from './stream-order.ts'

/** One of those that many streams are read from, in turn. */
export interface StreamSource {
  name: string
  /** The process that is measured; null for the model itself. */
  pid: number | null
  order: Omit<StreamOrder, 'streams' | 'rampMs'>
}

/** What came of one turn. */
export interface StreamTurn extends SeenStreams {
  /** Processor time of the measured process, and the least and the most memory that it held. */
  cpuMs: number
  leastResidentBytes: number
  peakResidentBytes: number
}

const SAMPLE_MS = 200

/** Lets the client's program read that many streams, and watches the process they come from. */
export async function readTurn(
  env: NodeJS.ProcessEnv,
  { pid, order }: StreamSource,
  how: { streams: number; rampMs: number; processors: string },
): Promise<StreamTurn> {
  const { processors, ...counts } = how
  const usage = () => (pid === null ? { cpuMs: 0, residentBytes: 0 } : usageOf(pid))
  const before = usage()
  const samples = [before.residentBytes]
  const sampling = setInterval(() => void samples.push(usage().residentBytes), SAMPLE_MS)
  const command = [process.execPath, programFile('stream-client'), JSON.stringify({ ...order, ...counts })]
  const end = await startProgram('taskset', ['-c', processors, ...command], { env }).ended
  clearInterval(sampling)
  if (end.code !== 0) throw new Error(`the client of the streams ended with ${end.code}: ${end.stderr}`)
  return {
    ...Seen.parse(JSON.parse(end.stdout)),
    cpuMs: usage().cpuMs - before.cpuMs,
    leastResidentBytes: Math.min(...samples),
    peakResidentBytes: Math.max(...samples),
  }
}
