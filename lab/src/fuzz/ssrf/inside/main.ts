import { runInside } from './run-inside.ts'

process.stdout.write(`${JSON.stringify(await runInside(process.argv[2] ?? '', process.env))}\n`, () => process.exit(0))
