/** Writes openapi.json, and the types that openapi-typescript makes of it, for the type test that compares them. */
import { writeFileSync } from 'node:fs';
import { generatedTypes, openApiText } from './document.js';

const text = openApiText();
writeFileSync('openapi.json', text);
writeFileSync('test/openapi/generated.ts', await generatedTypes(text));
