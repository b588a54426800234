import type { FieldErrors } from '@svc/contract'
import { z } from 'zod'
import type { Environment } from '../lib/environment.ts'
import { Secret } from '../secrets/secret.ts'

/** The server that takes mails, and the sender that they name. */
export interface MailSettings {
  host: string
  port: number
  /** Whether the connection begins with TLS; else it is begun on the connection where the server offers it. */
  isSecure: boolean
  credentials: { user: string; password: Secret } | null
  from: MailAddress
}

export interface MailAddress {
  name: string
  address: string
}

export type MailSettingsResult = { ok: true; settings: MailSettings | null } | { ok: false; faults: FieldErrors }

const [URL_NAME, FROM_NAME] = ['SVC_SMTP_URL', 'SVC_MAIL_FROM']
const URL_FAULT = 'must be a mail server’s address without a path, such as smtps://user:password@mail.example.com:465.'
const FROM_FAULT = 'must be an address, such as svc@example.com or Example <svc@example.com>.'

/** Reads the mail server and the sender. Null where neither is set: then no mail is sent. */
export function readMailSettings(env: Environment): MailSettingsResult {
  const { [URL_NAME]: url, [FROM_NAME]: sender } = env
  if (url === undefined && sender === undefined) return { ok: true, settings: null }
  const server = url === undefined ? null : parseServer(url)
  const from = sender === undefined ? null : parseSender(sender)
  if (server && from) return { ok: true, settings: { ...server, from } }
  return {
    ok: false,
    faults: {
      ...(!server && { [URL_NAME]: [url === undefined ? `is required with ${FROM_NAME}.` : URL_FAULT] }),
      ...(!from && { [FROM_NAME]: [sender === undefined ? `is required with ${URL_NAME}.` : FROM_FAULT] }),
    },
  }
}

function parseServer(text: string): Omit<MailSettings, 'from'> | null {
  if (!URL.canParse(text)) return null
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text)
  const isSecure = protocol === 'smtps:'
  if (!isSecure && protocol !== 'smtp:') return null
  if (hostname === '' || !['', '/'].includes(pathname) || search !== '' || hash !== '') return null
  const credentials = parseCredentials(username, password)
  if (credentials === undefined) return null
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return { host, port: port === '' ? (isSecure ? 465 : 587) : Number(port), isSecure, credentials }
}

/** Undefined where a part is not percent-encoded, or there is a password without its user. */
function parseCredentials(username: string, password: string): MailSettings['credentials'] | undefined {
  if (username === '') return password === '' ? null : undefined
  try {
    return { user: decodeURIComponent(username), password: new Secret(decodeURIComponent(password)) }
  } catch {
    return undefined
  }
}

function parseSender(text: string): MailAddress | null {
  const [, quoted, named] = /^(.*?)\s*<([^<>]+)>$/.exec(text.trim()) ?? []
  const address = z.email().safeParse(named ?? text.trim())
  const name = (quoted ?? '').replace(/^"(.*)"$/, '$1')
  return address.success && !/[\p{Cc}"<>]/u.test(name) ? { name, address: address.data } : null
}
