import { type ChildProcess, spawn } from 'node:child_process'

export interface ProgramEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface StartedProgram {
  readonly child: ChildProcess
  /** Resolves with what it had printed on stdout when that, in whole lines, first matched; rejects when it ends before. */
  printed(expected: RegExp): Promise<RegExpExecArray>
  /** The same of stderr. */
  logged(expected: RegExp): Promise<RegExpExecArray>
  /** Resolves when it has ended and its output was read. */
  readonly ended: Promise<ProgramEnd>
}

export interface ProgramOptions {
  readonly cwd?: string
  /** All of its environment; nothing of this process’s is added. */
  readonly env: NodeJS.ProcessEnv
}

/** Starts a program with pipes for its input and output. Ending it is the caller’s affair. */
export function startProgram(program: string, args: readonly string[], options: ProgramOptions): StartedProgram {
  const child = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  const watchers = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (piece: string) => {
      output[name] += piece
      for (const look of watchers) look()
    })
  }
  const ended = new Promise<ProgramEnd>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, ...output }))
  })
  const showed = (name: 'stdout' | 'stderr') => (expected: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = output[name].endsWith('\n') ? expected.exec(output[name]) : null
        if (!match) return
        watchers.delete(look)
        resolve(match)
      }
      watchers.add(look)
      look()
      ended.then(
        (end) => reject(new Error(`It ended (${end.code ?? end.signal}) before it printed ${expected}: ${end.stderr}`)),
        reject,
      )
    })
  return { child, ended, printed: showed('stdout'), logged: showed('stderr') }
}
