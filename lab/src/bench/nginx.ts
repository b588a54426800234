import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, type Listener, startListener, temporaryFolder } from '../support/programs.ts'
import type { ScenarioContext } from '../support/scenario.ts'

type Context = Pick<ScenarioContext, 'env' | 'onEnd'>

/** Answers with fixed texts, by path. */
export function startFixedAnswers(
  context: Context,
  answers: Readonly<Record<string, { type: string; body: string }>>,
): Promise<Listener> {
  const locations = Object.entries(answers).map(
    ([path, { type, body }]) => `location = ${path} { default_type ${type}; return 200 '${literal(body)}'; }`,
  )
  return startNginx(context, (port) => `server { listen 127.0.0.1:${port} backlog=4096; ${locations.join('\n')} }`)
}

/** Forwards everything, over connections that it keeps. */
export function startNginxProxy(context: Context, upstream: string): Promise<Listener> {
  return startNginx(
    context,
    (port) => `upstream up { server ${new URL(upstream).host}; keepalive 128; keepalive_requests 100000000; }
server { listen 127.0.0.1:${port} backlog=4096;
  location / { proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; } }`,
  )
}

async function startNginx(context: Context, serve: (port: number) => string): Promise<Listener> {
  const folder = temporaryFolder(context)
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, configuration(folder, serve(port)))
  const PATH = `${context.env['PATH'] ?? ''}:/usr/sbin`
  const command = ['nginx', '-p', folder, '-c', file, '-e', join(folder, 'error.log')] as const
  return startListener(context, command, { port, variables: { PATH } })
}

function configuration(folder: string, served: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
    .join(' ')
  return `daemon off; master_process off; pid ${join(folder, 'pid')};
events { worker_connections 8192; }
http { access_log off; keepalive_requests 100000000; ${temporary}
${served} }
`
}

function literal(text: string): string {
  if (/['\\$]/.test(text)) throw new Error('nginx is given texts without quotes, backslashes and dollars only')
  return text
}
