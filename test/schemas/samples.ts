import { type DocumentRecord, type DocumentType, documentTable, type RecordName } from './document-table.js';
import { recordNamed } from './records.js';

const VALUES = { string: 'text', number: 1.5, boolean: true, any: { deep: [null] }, object: { any: 1 } };

/** A record without its optional fields. */
export function minimal(record: RecordName): Record<string, unknown> {
  const { required, chosen } = documentTable[record];
  return withFields(record, [...required, ...chosen]);
}

/** A record with every field. */
export function complete(record: RecordName): Record<string, unknown> {
  return withFields(record, Object.keys(documentTable[record].fields));
}

function withFields(record: RecordName, names: readonly string[]): Record<string, unknown> {
  const { fields }: DocumentRecord = documentTable[record];
  const sent = Object.entries(fields).filter(([name, type]) => names.includes(name) && type !== 'nothing');
  return Object.fromEntries(sent.map(([name, type]) => [name, sampleOf(type)]));
}

function sampleOf(type: DocumentType): unknown {
  if (typeof type === 'object') return 'oneOf' in type ? type.oneOf[0] : sampleOf(type.type);
  // A type of the document follows "array of" too.
  if (type.startsWith('array of ')) return [sampleOf(type.slice('array of '.length) as DocumentType)];
  const record = recordNamed(type);
  return record === undefined ? VALUES[type as keyof typeof VALUES] : minimal(record);
}
