/** A file as text. tsup puts it into the build, as Vite does for tests. */
declare module '*?raw' {
  const text: string;
  export default text;
}
