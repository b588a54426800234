/** Where a project serves on this machine, unless it says otherwise. */
export const DEFAULT_PORT = 8790
