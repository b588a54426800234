// Express 4 beside Express 5: what is used of it here reads the same.
declare module 'express4' {
  export { default } from 'express'
}
