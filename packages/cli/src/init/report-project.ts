import { abbreviateKey } from '@svc/contract'
import { installedVersion } from '../project/installed-version.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Answers } from './answers.ts'
import { missingParts } from './missing-parts.ts'
import type { RegisteredRuntime } from './register-runtime.ts'
import type { FileOutcome } from './write-files.ts'

type Made = {
  readonly folder: string
  readonly shownFolder: string
  readonly answers: Answers
  readonly baseUrl: string
  readonly runtime: RegisteredRuntime | null
  readonly files: readonly FileOutcome[]
}

/** Prints the files made, the files left alone that lack something, and the next steps. */
export function reportProject(terminal: Terminal, made: Made): void {
  const { files, folder, runtime, baseUrl } = made
  const missing = missingParts(folder, files)
  terminal.success(`${made.answers.name} is in ${made.shownFolder === '.' ? 'this folder' : made.shownFolder}.`)
  for (const { path, status } of files) terminal.line(`  ${status.padEnd(7)}  ${path}`)
  terminal.line()
  for (const line of registrationLines(made)) terminal.line(line)
  for (const { file, advice } of missing) {
    terminal.warn(`${file} was there and stays as it is. It lacks something:`)
    for (const line of advice) terminal.note(`    ${line}`)
  }
  terminal.detail()
  for (const line of nextSteps(made)) terminal.detail(line)
  terminal.result({
    folder,
    files: files.map(({ path, status }) => ({ path, status })),
    baseUrl,
    runtime: runtime && {
      runtimeId: runtime.runtimeId,
      endpoint: runtime.endpoint,
      deployKeyPrefix: abbreviateKey(runtime.deployKey),
      publicKeyPrefix: abbreviateKey(runtime.publicKey),
    },
    missing: missing.map(({ file, advice }) => ({ file, advice: [...advice] })),
  })
}

function registrationLines({ runtime, baseUrl, files, shownFolder }: Made): string[] {
  if (runtime) {
    const endpoint = runtime.endpoint
      ? `It is called at ${runtime.endpoint}.`
      : 'It has no endpoint yet: set `endpoint` in svc.config.ts to where src/server.ts can be reached.'
    return [`Registered ${runtime.runtimeId} at ${baseUrl}. Its credentials are in .env.`, endpoint]
  }
  if (files.some(({ path, status }) => path === '.env' && status === 'kept')) {
    return ['No runtime was registered: .env is there, and its credentials stay what they are.']
  }
  const environmentFile = shownFolder === '.' ? '.env' : `${shownFolder}/.env`
  return [
    `No runtime was registered, and the credentials in ${environmentFile} are empty. Run svc login or set SVC_ACCOUNT_KEY,`,
    'remove that file and run svc init again; or fill it in with the id, secret and keys of a runtime that you have.',
    'Where the control plane runs, `npm run -s admin -- create-owner --email you@example.com` prints an account key.',
  ]
}

const QUESTION = '{"messages": [{"role": "user", "parts": [{"type": "text", "content": "Are you open on sunday?"}]}]}'

function nextSteps({ folder, shownFolder, files }: Made): string[] {
  const isNew = files.some(({ path, status }) => path === 'package.json' && status === 'created')
  const needsPackages = isNew && installedVersion(folder, '@svc/sdk') === null
  return [
    'Next:',
    ...(shownFolder === '.' ? [] : [`  cd ${asArgument(shownFolder)}`]),
    ...(needsPackages ? ['  npm install'] : []),
    `  npx svc dev call opening-hours --input '{"day": "sunday"}'`,
    '  npx svc test      # plays the conversations in tests/',
    '  npx svc dev       # serves it on this machine',
    '  npx svc deploy    # in another terminal',
    '',
    'Then ask, with the public key:',
    '  . ./.env',
    '  curl "$SVC_BASE_URL/v1/runtime/execute" -H "authorization: Bearer $SVC_PUBLIC_KEY" \\',
    `    -H 'content-type: application/json' -d '${QUESTION}'`,
  ]
}

// As a shell would take it for one word.
function asArgument(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
