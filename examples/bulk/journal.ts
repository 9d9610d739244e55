import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** What was started, and what is done. It survives a kill, because each step is a line of a file. */
export interface Journal {
  isStarted(id: string): boolean;
  isDone(id: string): boolean;
  started(id: string): void;
  done(id: string): void;
}

/** Opens a journal, and reads what earlier runs left in it. */
export function openJournal(file: string): Journal {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  // A kill can leave half a line.
  const lines = text.split('\n').filter((line) => /^\w+ .+;$/.test(line));
  const idsOf = (state: string): Set<string> => {
    const ofState = lines.filter((line) => line.startsWith(`${state} `));
    return new Set(ofState.map((line) => line.slice(state.length + 1, -1)));
  };
  const [started, done] = [idsOf('started'), idsOf('done')];
  // Begins with the line break, so that half a line stays alone.
  const write = (state: string, id: string): void => appendFileSync(file, `\n${state} ${id};`);
  return {
    isStarted: (id) => started.has(id),
    isDone: (id) => done.has(id),
    started: (id) => {
      write('started', id);
      started.add(id);
    },
    done: (id) => {
      write('done', id);
      done.add(id);
    },
  };
}
