// Prints what two independent validators of OpenAPI documents find wrong with a file.
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';

const [, , file] = process.argv;
const source = readFileSync(file, 'utf8');
const { errors = [] } = await new Validator().validate(JSON.parse(source));
// The rules of the specification, and further ones. Warnings are of taste: a license, a documented 4xx.
const config = await createConfig({ extends: ['recommended'] });
const problems = await lintFromString({ source, absoluteRef: file, config });
const found = problems.filter(({ severity }) => severity === 'error');
console.log(JSON.stringify([errors, found.map(({ ruleId, message }) => `${ruleId}: ${message}`)]));
