import { createServer, type Socket } from 'node:net'
import { listenOnFreePort } from './listen-on-free-port.ts'

/** A mail as it arrived. */
export interface ReceivedMail {
  /** Of the envelope. */
  readonly from: string
  readonly to: readonly string[]
  /** As they were sent, unfolded, by name in lower case. A name that comes twice has both, in a list. */
  readonly headers: Readonly<Record<string, string | string[]>>
  /** Decoded. */
  readonly text: string
  /** User and password, where the sender gave them. */
  readonly credentials: { user: string; password: string } | null
}

export interface SmtpDoubleOptions {
  /** Whether it asks for a name and a password. */
  wantsCredentials?: boolean
}

/** A mail server without TLS that keeps what it is sent. */
export interface SmtpDouble {
  /** What SVC_SMTP_URL is set to. */
  readonly url: string
  readonly port: number
  readonly mails: readonly ReceivedMail[]
  /** The next mail that arrives, or the first of those that nobody has asked for. */
  next(): Promise<ReceivedMail>
  /** From now on every recipient is refused with this answer; null takes them again. */
  refuseWith(answer: string | null): void
  /** From now on connections are not greeted, until they are let go on. */
  hold(): void
  letGo(): void
  close(): Promise<void>
}

interface State {
  mails: ReceivedMail[]
  waiting: ((mail: ReceivedMail) => void)[]
  unread: ReceivedMail[]
  refusal: string | null
  held: (() => void)[] | null
}

/** Starts a mail server on a free port of 127.0.0.1. */
export async function startSmtpDouble({ wantsCredentials = false }: SmtpDoubleOptions = {}): Promise<SmtpDouble> {
  const state: State = { mails: [], waiting: [], unread: [], refusal: null, held: null }
  const server = createServer((socket) => {
    const greet = () => converse(socket, { wantsCredentials, state })
    if (state.held) state.held.push(greet)
    else greet()
  })
  const { port, close } = await listenOnFreePort(server)
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    mails: state.mails,
    next() {
      const mail = state.unread.shift()
      return mail ? Promise.resolve(mail) : new Promise((resolve) => state.waiting.push(resolve))
    },
    refuseWith(answer) {
      state.refusal = answer
    },
    hold() {
      state.held ??= []
    },
    letGo() {
      const held = state.held ?? []
      state.held = null
      for (const greet of held) greet()
    },
    close,
  }
}

/** One connection: commands of a line each, and after DATA lines up to a single dot. */
function converse(socket: Socket, { wantsCredentials, state }: { wantsCredentials: boolean; state: State }): void {
  let envelope = { from: '', to: [] as string[] }
  let credentials: ReceivedMail['credentials'] = null
  let data: string[] | null = null
  const say = (answer: string) => socket.write(`${answer}\r\n`)
  const answers: Readonly<Record<string, (rest: string) => string>> = {
    EHLO: () => (wantsCredentials ? '250-double\r\n250 AUTH PLAIN' : '250 double'),
    AUTH(rest) {
      const [, user = '', password = ''] = Buffer.from(rest.slice('PLAIN '.length), 'base64').toString().split('\0')
      credentials = { user, password }
      return '235 ok'
    },
    MAIL(rest) {
      envelope = { from: addressIn(rest), to: [] }
      return '250 ok'
    },
    RCPT(rest) {
      if (state.refusal !== null) return state.refusal
      envelope.to.push(addressIn(rest))
      return '250 ok'
    },
    DATA() {
      data = []
      return '354 go on'
    },
    QUIT: () => '221 bye',
  }
  const take = (line: string) => {
    if (data === null) return say(answers[line.slice(0, 4).toUpperCase()]?.(line.slice(5)) ?? '250 ok')
    if (line !== '.') return data.push(line.replace(/^\./, ''))
    keep(state, { ...envelope, ...parseMail(data), credentials })
    data = null
    return say('250 kept')
  }
  let rest = ''
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    const lines = (rest + chunk.toString('latin1')).split('\r\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  })
  say('220 double')
}

function keep(state: State, mail: ReceivedMail): void {
  state.mails.push(mail)
  const waiting = state.waiting.shift()
  if (waiting) waiting(mail)
  else state.unread.push(mail)
}

function addressIn(text: string): string {
  return /<([^>]*)>/.exec(text)?.[1] ?? ''
}

function parseMail(lines: readonly string[]): Pick<ReceivedMail, 'headers' | 'text'> {
  const end = lines.indexOf('')
  const headers: Record<string, string | string[]> = {}
  const unfolded = lines
    .slice(0, end)
    .join('\r\n')
    .replaceAll(/\r\n[ \t]+/g, ' ')
  for (const line of unfolded.split('\r\n')) {
    const [name = '', ...value] = line.split(':')
    const [key, text] = [name.toLowerCase(), value.join(':').trim()]
    const before = headers[key]
    headers[key] = before === undefined ? text : [before, text].flat()
  }
  const body = lines.slice(end + 1).join('\n')
  return { headers, text: decoded(body, String(headers['content-transfer-encoding'] ?? '')) }
}

function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString('utf8')
  const bytes = body
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
