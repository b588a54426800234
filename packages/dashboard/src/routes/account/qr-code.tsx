import { QRCodeSVG } from 'qrcode.react'
import type { ReactNode } from 'react'

/** A text for a camera: dark on white in either theme, since many apps read nothing else. */
export function QrCode({ text }: { text: string }): ReactNode {
  return <QRCodeSVG value={text} size={192} marginSize={3} title="The key for the app, as a picture to scan" />
}
