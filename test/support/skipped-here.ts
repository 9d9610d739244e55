/** Says which tests this run leaves out, so that nobody takes it for all of them. */
export default function sayWhatIsSkipped(): void {
  console.log(
    'Skipped here: test:redis and test:crash (need redis-server), test:package (needs a build), test:runtimes (fetches runtimes), test:docs (needs a browser), test:reliability (takes minutes), test:contributing (compiles a copy)',
  );
}
