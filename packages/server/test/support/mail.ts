import { type ReceivedMail, type SmtpDouble, type SmtpDoubleOptions, startSmtpDouble } from '@svc/testkit'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { readMailSettings } from '../../src/mail/mail-settings.ts'
import type { Mailer } from '../../src/mail/mailer.ts'
import { openMailer } from '../../src/mail/open-mailer.ts'

export const SENDER = 'svc@example.com'

/** The mailer of a service over a mail server of the test’s own. */
export async function mailOverDouble({
  log,
  ...options
}: SmtpDoubleOptions & { log?: (line: string) => void } = {}): Promise<{ smtp: SmtpDouble; mailer: Mailer }> {
  const started = await startMail(options, log)
  onTestFinished(() => started.smtp.close())
  return started
}

/** The same, which somebody else closes. */
export async function startMail(options: SmtpDoubleOptions = {}, log?: (line: string) => void) {
  const smtp = await startSmtpDouble(options)
  const url = options.wantsCredentials ? smtp.url.replace('://', '://ada:open%20sesame@') : smtp.url
  const read = readMailSettings({ SVC_SMTP_URL: url, SVC_MAIL_FROM: `Example <${SENDER}>` })
  const logger = log ? pino({ level: 'debug' }, { write: log }) : pino({ level: 'silent' })
  const mailer = await openMailer(read.ok ? read.settings : null, logger)
  if (!mailer) throw new Error('the address of the mail server was refused')
  return { smtp, mailer }
}

/** The link of a mail, which must hold one, and the token in it. */
export function linkIn({ text }: Pick<ReceivedMail, 'text'>): { link: string; token: string } {
  const [link = '', token] = /^https?:\/\/\S+#(\S+)$/m.exec(text) ?? []
  if (token === undefined) throw new Error(`the mail holds no link: ${text}`)
  return { link, token }
}
