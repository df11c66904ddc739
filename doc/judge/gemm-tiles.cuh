// A row of one tile times a column of another.  What is not there is not multiplied: 0 times infinity is no 0.
__device__ inline float add_products(const float *row, const float *column, int count, float sum)
{
    for (int i = 0; i < count; i++)
        sum += row[i] * column[i * TILE];
    return sum;
}
