// Renders the description of the REST API.
window.SwaggerUIBundle({
  url: document.getElementById("api-docs").dataset.schema,
  dom_id: "#api-docs",
  deepLinking: true,
  // Validation would send the description to another host.
  validatorUrl: null,
  requestInterceptor(request) {
    request.headers["X-CSRFToken"] = document.getElementById("api-docs").dataset.token;
    return request;
  },
});
