/** Members of a JSON object that no honest service sends, as text: `JSON.stringify` would not write some of them. */
export interface Hostile {
  readonly what: string;
  /** `"name":value`, any number of them. */
  readonly members: string;
}

const deep = (open: string, close: string) => `"deep":${open.repeat(5_000)}0${close.repeat(5_000)}`;
const many = (count: number, one: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => one(index)).join(',');

export const hostile: readonly Hostile[] = [
  { what: 'a field named __proto__', members: '"__proto__":{"polluted":true,"isAdmin":true}' },
  { what: 'a constructor with a prototype', members: '"constructor":{"prototype":{"polluted":true}}' },
  {
    what: 'the names of what every object has',
    members: '"hasOwnProperty":1,"toString":1,"valueOf":1,"toJSON":1,"then":1,"length":1e9',
  },
  { what: 'lists 5,000 levels deep', members: deep('[', ']') },
  { what: 'objects 5,000 levels deep', members: deep('{"a":', '}') },
  {
    what: 'numbers at the edge, and beyond',
    members: '"big":1e308,"minus":-0,"infinite":1e999,"small":5e-324',
  },
  { what: 'halves of surrogate pairs', members: String.raw`"half":"\ud800 and \udc00","\udfff":"\ud83d"` },
  { what: 'the same name twice', members: '"twice":"first","twice":"last"' },
  { what: 'a name of a million letters', members: `"${'n'.repeat(1_000_000)}":1` },
  { what: '100,000 fields', members: many(100_000, (index) => `"grown${index}":${index}`) },
  { what: 'a list of a million elements', members: `"list":[${many(1_000_000, () => '1')}]` },
  { what: 'JSON inside of text, inside of text', members: `"text":${JSON.stringify(nested(10))}` },
];

/** A text that holds a record as JSON, in which a text holds one, and so on. */
function nested(levels: number): string {
  let text = '{"magicCode":"hidden"}';
  for (let level = 0; level < levels; level += 1) text = JSON.stringify({ inner: text });
  return text;
}
