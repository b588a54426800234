import type { ServerResponse } from 'node:http'

/** Whoever takes nothing of an answer for this long is cut off: it would be held in memory as long as they like. */
const STALL_MS = 30_000

/** Ends an answer whose reader stands still while there is something to read. Any progress starts the time anew. */
export function cutStalledReader(raw: ServerResponse): void {
  // Whoever has left reads nothing, and does not leave again: a look at them would be repeated for ever.
  if (raw.closed) return
  let taken = takenBytes(raw)
  const look = () => {
    const now = takenBytes(raw)
    if (now !== null && now === taken && pendingBytes(raw) > 0) return void raw.destroy()
    taken = now
    timer = setTimeout(look, STALL_MS)
  }
  let timer = setTimeout(look, STALL_MS)
  raw.on('close', () => clearTimeout(timer))
}

function pendingBytes(raw: ServerResponse): number {
  return raw.writableLength + (raw.socket?.writableLength ?? 0)
}

/** Null while an answer to an earlier request has its turn: nobody can read this one. */
function takenBytes({ socket }: ServerResponse): number | null {
  return socket ? socket.bytesWritten - socket.writableLength : null
}
