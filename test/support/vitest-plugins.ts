import type { Vite } from 'vitest/node';

/** Returns what this machine lacks, or false. */
export type Missing = () => string | false;

/** Skips a project that this machine cannot run; in CI, fails. Vitest calls it for the selected projects. */
export function needs(...missing: readonly Missing[]): Vite.Plugin {
  return {
    name: 'needs',
    configureVitest({ project, vitest }) {
      const program = missing.map((find) => find()).find(Boolean);
      if (!program) return;
      const line = `The project ${project.name} needs ${program}`;
      if (process.env.CI) throw new Error(line);
      console.log(`Skipped. ${line}`);
      project.config.include = [];
      vitest.config.passWithNoTests = vitest.projects.every(({ config }) => config.include.length === 0);
    },
  };
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The arguments with which the run of another Node finds the tests that this run was asked for. */
    readonly sameTests: readonly string[];
  }
}

/** Runs one file in place of those that a project includes. That file runs them in another Node. */
export function runsElsewhere(file: string): Vite.Plugin {
  return {
    name: 'runs-elsewhere',
    configureVitest({ project, vitest }) {
      const { testNamePattern } = vitest.config;
      const title = testNamePattern === undefined ? [] : ['--testNamePattern', testNamePattern.source];
      // The title is that of a test in the other Node.
      delete vitest.config.testNamePattern;
      delete project.config.testNamePattern;
      const findFiles = project.globTestFiles.bind(project);
      project.globTestFiles = async (filters = []) => {
        const { testFiles } = await findFiles(filters);
        const files = filters.length > 0 ? testFiles : [];
        project.provide('sameTests', ['--project', project.name, ...files, ...title]);
        return { testFiles: testFiles.length > 0 ? [file] : [], typecheckTestFiles: [] };
      };
    },
  };
}

/** Fails a run that has no test of the title that `-t` asks for. Vitest skips all tests, and passes. */
export function titleMatches(): Vite.Plugin {
  return {
    name: 'title-matches',
    configureVitest({ project, vitest }) {
      const title = project.config.testNamePattern;
      if (title === undefined || vitest.projects[0] !== project) return;
      vitest.config.reporters.push({
        onTestRunEnd(modules) {
          const tests = modules.flatMap(({ children }) => [...children.allTests()]);
          // A test that skips itself has a note that says why.
          const isOther = (test: (typeof tests)[number]) => {
            const result = test.result();
            return result.state === 'skipped' && result.note === undefined;
          };
          if (!tests.every(isOther)) return;
          console.error(`No test has a title like ${title}`);
          process.exitCode = 1;
        },
      });
    },
  };
}
