import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProgram } from '@svc/testkit'
import { freePort, untilListening } from '../../support/free-port.ts'

/** An nginx of one process. */
export interface Nginx {
  url: string
  pid: number
  stop(): Promise<void>
}

/** Answers with fixed texts, by path. */
export function startFixedAnswers(
  env: NodeJS.ProcessEnv,
  answers: Readonly<Record<string, { type: string; body: string }>>,
): Promise<Nginx> {
  const locations = Object.entries(answers).map(
    ([path, { type, body }]) => `location = ${path} { default_type ${type}; return 200 '${literal(body)}'; }`,
  )
  return startNginx(env, (port) => `server { listen 127.0.0.1:${port} backlog=4096; ${locations.join('\n')} }`)
}

/** Forwards everything, over connections that it keeps: the limit of what a proxy can do. */
export function startNginxProxy(env: NodeJS.ProcessEnv, upstream: string): Promise<Nginx> {
  return startNginx(
    env,
    (port) => `upstream up { server ${new URL(upstream).host}; keepalive 128; keepalive_requests 100000000; }
server { listen 127.0.0.1:${port} backlog=4096;
  location / { proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; } }`,
  )
}

async function startNginx(env: NodeJS.ProcessEnv, serve: (port: number) => string): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-harness-nginx-'))
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, configuration(folder, serve(port)))
  const path = `${env['PATH'] ?? ''}:/usr/sbin`
  const started = startProgram('nginx', ['-p', folder, '-c', file, '-e', join(folder, 'error.log')], {
    env: { ...env, PATH: path },
  })
  const { pid } = started.child
  await untilListening(port, started.ended)
  if (pid === undefined) throw new Error('nginx has no process id')
  return {
    url: `http://127.0.0.1:${port}`,
    pid,
    async stop() {
      started.child.kill('SIGTERM')
      await started.ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
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
