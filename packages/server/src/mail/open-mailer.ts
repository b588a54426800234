import type { Logger } from 'pino'
import type { MailSettings } from './mail-settings.ts'
import { createMailer, type Mailer } from './mailer.ts'

/** The mailer of the configured server; null where there is none. The library is loaded only where it is used. */
export async function openMailer(settings: MailSettings | null, logger: Logger): Promise<Mailer | null> {
  if (settings === null) return null
  const { smtpTransport } = await import('./smtp-transport.ts')
  return createMailer({ transport: smtpTransport(settings), logger })
}
