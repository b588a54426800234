import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, type Listener, startListener, temporaryFolder } from '../support/programs.ts'
import type { ScenarioContext } from '../support/scenario.ts'

/** Answers with fixed texts, by path. */
export async function startFixedAnswers(
  context: Pick<ScenarioContext, 'env' | 'onEnd'>,
  answers: Readonly<Record<string, { type: string; body: string }>>,
): Promise<Listener> {
  const folder = temporaryFolder(context)
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  const locations = Object.entries(answers).map(
    ([path, { type, body }]) => `location = ${path} { default_type ${type}; return 200 '${literal(body)}'; }`,
  )
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
    .join(' ')
  const configuration = `daemon off; master_process off; pid ${join(folder, 'pid')};
events { worker_connections 8192; }
http { access_log off; keepalive_requests 100000000; ${temporary}
server { listen 127.0.0.1:${port} backlog=4096; ${locations.join('\n')} } }
`
  writeFileSync(file, configuration)
  const PATH = `${context.env['PATH'] ?? ''}:/usr/sbin`
  const command = ['nginx', '-p', folder, '-c', file, '-e', join(folder, 'error.log')] as const
  return startListener(context, command, { port, variables: { PATH } })
}

function literal(text: string): string {
  if (/['\\$]/.test(text)) throw new Error('nginx is given texts without quotes, backslashes and dollars only')
  return text
}
