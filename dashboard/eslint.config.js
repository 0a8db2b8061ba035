// What the type checker does not see in the page's modules.

export default [
  {
    rules: {
      "max-len": ["error", { code: 160 }],
      "no-unused-vars": "error",
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "eqeqeq": "error",
      "no-shadow": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-restricted-properties": ["error", { property: "innerHTML", message: "Elements are made by h()." }, { property: "outerHTML" }],
      "no-restricted-syntax": ["error", { selector: "CallExpression[callee.property.name='insertAdjacentHTML']", message: "Elements are made by h()." }],
    },
  },
];
