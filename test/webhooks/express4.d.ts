/** Express 4 under an alias; what the tests call of it has the types of Express 5. */
declare module 'express4' {
  export { default } from 'express';
}
