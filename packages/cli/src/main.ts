import { EXIT_CODES } from './failures.ts'
import { runCli } from './run-cli.ts'

process.once('exit', reportEarlyEnd)
// A reader that left (`svc status | head -1`) is no reason to fail.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

const exitCode = await runCli(
  { stdout: process.stdout, stderr: process.stderr, env: process.env, cwd: process.cwd(), fetch: globalThis.fetch },
  process.argv.slice(2),
)

process.off('exit', reportEarlyEnd)
// The project’s own modules may hold the process open (a database, a timer), so it is ended once the output is out.
process.stdout.write('', () => process.stderr.write('', () => process.exit(exitCode)))

// Modules of the project run in this process: one that ends it, or waits for ever, must not look like success.
function reportEarlyEnd(): void {
  process.stderr.write('✖ The project’s own code ended svc, or waits for something that never comes.\n')
  process.exitCode = EXIT_CODES.project
}
